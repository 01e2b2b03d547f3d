/** The types of koa-mount, whose package contains none. */
declare module 'koa-mount' {
  import type { Middleware } from 'koa'

  // biome-ignore lint/style/noDefaultExport: the package has one.
  export default function mount(prefix: string, middleware: Middleware): Middleware
}
