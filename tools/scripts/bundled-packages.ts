/** The packages whose code becomes a part of `dist`, and the files of `dist` that name them. */

import { readdirSync, readFileSync } from 'node:fs'
import type { Metafile } from 'esbuild'

/** A package of another project. */
export interface BundledPackage {
  readonly name: string
  readonly version: string
  /** The SPDX id of its license, such as `MIT`. */
  readonly license: string
  /** The text of its license. */
  readonly licenseText: string
}

/** Files with the text of licenses, for packages that do not contain it. */
const texts: Readonly<Record<string, string>> = {
  'Apache-2.0': 'node_modules/typescript/LICENSE.txt',
}

/** Returns the folders of the packages that have code in the output, each once. */
export function packageFolders({ outputs }: Metafile): readonly string[] {
  const inputs = Object.values(outputs).flatMap((output) => Object.entries(output.inputs))
  const folders = inputs
    .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
    .flatMap(([path]) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? [])
  return [...new Set(folders)]
}

/**
 * Returns the packages in these folders, sorted by name and version. Two folders can hold the same
 * one.
 * @throws Error if there is no text of a license.
 */
export function readPackages(folders: Iterable<string>): readonly BundledPackage[] {
  const packages = new Map([...folders].map(readPackage).map((found) => [purlOf(found), found]))
  return [...packages].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, found]) => found)
}

function readPackage(folder: string): BundledPackage {
  const { name, version, license } = readManifest(folder)
  const file = readdirSync(folder).find((path) => /^licen[cs]e/i.test(path))
  const path = file === undefined ? texts[license] : `${folder}/${file}`
  if (path === undefined) throw new Error(`${name} has no file with its license`)
  return { name, version, license, licenseText: readFileSync(path, 'utf8').trim() }
}

/** Returns the content of `licenses.txt`: the name, the version and the license of each package. */
export function licensesText(packages: readonly BundledPackage[]): string {
  return packages
    .map(({ name, version, licenseText }) => `${name} ${version}\n\n${licenseText}\n`)
    .join(`\n${'-'.repeat(80)}\n\n`)
}

/**
 * Returns the content of `sbom.cdx.json`: a software bill of materials in CycloneDX 1.6, which
 * scanners read. It has no time and no serial number, so that the same build has the same bytes.
 */
export function billOfMaterials(packages: readonly BundledPackage[]): string {
  const own = componentOf(readManifest('.'))
  const components = packages.map(componentOf)
  const document = {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: own },
    components,
    dependencies: [{ ref: own.purl, dependsOn: components.map(({ purl }) => purl) }],
  }
  return `${JSON.stringify(document, null, 2)}\n`
}

type Manifest = Omit<BundledPackage, 'licenseText'>

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'))
}

function componentOf({ name, version, license }: Manifest) {
  const purl = purlOf({ name, version })
  const [, group, ownName = name] = /^(@.*)\/(.*)$/.exec(name) ?? []
  return {
    type: 'library',
    'bom-ref': purl,
    ...(group !== undefined && { group }),
    name: ownName,
    version,
    licenses: [{ license: { id: license } }],
    purl,
  }
}

/** Returns the URL of a package, such as `pkg:npm/%40noble/ciphers@2.4.0`. */
function purlOf({ name, version }: Pick<Manifest, 'name' | 'version'>): string {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`
}
