/** Names what is bundled, in the files `licenses.txt` and `sbom.cdx.json` of `dist`. */

import { mkdirSync, writeFileSync } from 'node:fs'
import type { Plugin } from 'esbuild'
import { billOfMaterials, licensesText, packageFolders, readPackages } from './bundled-packages.ts'
import { bundlePage } from './page.ts'

/** Folders of the packages that the builds of this process have bundled until now. */
const folders = new Set<string>()

/**
 * Each build writes what it and the builds that ended before it have bundled, so the last one
 * writes everything. The build fails if a bundled package has no text of its license.
 */
export const nameBundled: Plugin = {
  name: 'name-bundled',
  setup(build) {
    // tsup asks esbuild for the metafile.
    build.onEnd(async ({ metafile }) => {
      if (metafile === undefined) return
      for (const folder of packageFolders(metafile)) folders.add(folder)
      // For this build the script of the page is a string, whatever code is in it.
      for (const folder of (await bundlePage()).packages) folders.add(folder)
      const packages = readPackages(folders)
      mkdirSync('dist', { recursive: true })
      writeFileSync('dist/licenses.txt', licensesText(packages))
      writeFileSync('dist/sbom.cdx.json', billOfMaterials(packages))
    })
  },
}
