/** The name of the library that a module belongs to, such as `@fastify/static`; null for modules of Tollgate. */
export function libraryOf(id: string): string | null {
  return /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(id)?.[1] ?? null
}
