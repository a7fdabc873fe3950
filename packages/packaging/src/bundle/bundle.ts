import { builtinModules } from 'node:module'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type OutputChunk, rolldown } from 'rolldown'
import type { PackagePlan } from '../packages.ts'
import { fileOf } from './file-of.ts'
import { keepTree } from './keep-tree.ts'
import { lazyBuiltins } from './lazy-builtins.ts'
import { ownMaps, removeEmptyMaps } from './own-maps.ts'
import { piscinaThread } from './piscina-thread.ts'
import { undiciCore } from './undici-core.ts'
import { withoutOptional } from './without-optional.ts'
import { withoutPglite } from './without-pglite.ts'

/** The folder of the bundled code in a package. */
export const lib = 'lib'

/** Node's own modules; all others are in the package. */
const builtins = new Set(builtinModules.flatMap((name) => [name, `node:${name}`]))

/**
 * Writes the programs of a package, with source maps, into its folder `lib`.
 *
 * @param root of the workspace
 * @param outDir the package's folder
 * @returns the paths of all modules whose code is in the package
 * @throws Error if the code needs a module that is not in the package
 */
export async function bundle(plan: PackagePlan, root: string, outDir: string): Promise<string[]> {
  const input = { ...plan.programs, launch: '../launch/launch.ts' }
  const build = await rolldown({
    input: Object.fromEntries(Object.entries(input).map(([name, module]) => [name, pathOf(module)])),
    platform: 'node',
    preserveEntrySignatures: 'allow-extension',
    cwd: root,
    // Libraries in CommonJS find their threads beside themselves: here, in `lib`.
    transform: { target: 'node24', define: { __dirname: 'import.meta.dirname', __filename: 'import.meta.filename' } },
    plugins: [
      lazyBuiltins(),
      ownMaps(),
      keepTree(root, lib),
      piscinaThread(lib),
      undiciCore(),
      withoutOptional(),
      withoutPglite()
    ],
    // On a busy machine, plugins take long.
    checks: { bundlerTimings: false },
    onLog: (level, { message }) => {
      if (level === 'warn') throw new Error(message)
    }
  })
  const { output } = await build.write({
    dir: outDir,
    format: 'esm',
    entryFileNames: `${lib}/[name].js`,
    chunkFileNames: `${lib}/[name].js`,
    // V8 stores a text with other characters in twice the memory.
    charset: 'ascii',
    // V8 needs four times the size of a file in memory to compile it, and gives little of it back.
    codeSplitting: {
      includeDependenciesRecursively: false,
      groups: [{ debugName: 'libraries', name: fileOf }]
    },
    comments: false,
    sourcemap: true,
    sourcemapExcludeSources: true,
    // Traces of errors then name files of the workspace, also without the workspace.
    sourcemapPathTransform: (source, map) => relative(lib, relative(root, join(map, '..', source)))
  })
  await build.close()
  const chunks = output.filter(({ type }) => type === 'chunk') as OutputChunk[]
  for (const { fileName, imports, dynamicImports } of chunks) {
    const own = new Set(chunks.map((chunk) => chunk.fileName))
    const missing = [...imports, ...dynamicImports].filter((name) => !builtins.has(name) && !own.has(name))
    if (missing.length > 0) throw new Error(`${fileName} needs ${missing.join(', ')}, which the package lacks`)
  }
  removeEmptyMaps(outDir, chunks)
  return [...new Set(chunks.flatMap(({ modules }) => Object.keys(modules)))].filter((id) => id.startsWith(root)).sort()
}

const pathOf = (module: string): string => fileURLToPath(import.meta.resolve(module))
