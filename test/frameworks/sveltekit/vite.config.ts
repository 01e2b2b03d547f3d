/** The configuration of a new SvelteKit project, unchanged. */

import { sveltekit } from '@sveltejs/kit/vite'
import { defineConfig } from 'vite'

// biome-ignore lint/style/noDefaultExport: Vite requires a default export.
export default defineConfig({ plugins: [sveltekit()] })
