import { builtinPrefix } from './lazy-builtins.ts'

/**
 * The file of the package, without its extension, that a module is in; null: the bundler decides. Each library has its own file.
 * Node's modules share one: all others may need them first.
 */
export function fileOf(id: string): string | null {
  if (id.startsWith(builtinPrefix)) return 'node'
  // Piscina starts one of its modules as the program of a thread, which the bundler would merge with the library's file.
  if (id.includes('/node_modules/piscina/')) return null
  const library = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(id)?.[1]
  return library?.replace('@', '').replace('/', '-') ?? null
}
