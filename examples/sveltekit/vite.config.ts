/** A SvelteKit project as its generator makes it. */

import { sveltekit } from '@sveltejs/kit/vite'
import { defineConfig } from 'vite'

// biome-ignore lint/style/noDefaultExport: it is how Vite finds its settings.
export default defineConfig({ plugins: [sveltekit()] })
