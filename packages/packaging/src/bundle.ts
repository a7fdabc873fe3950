import { rmSync, writeFileSync } from 'node:fs'
import { builtinModules, isBuiltin } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type OutputChunk, type Plugin, rolldown } from 'rolldown'
import { keepTree, undiciCore } from './bundle-plugins.ts'
import type { PackagePlan } from './packages.ts'

/** Begins the ids of Node's own modules. */
const builtinPrefix = '\0builtin:'

/**
 * Gets Node's own modules by `process.getBuiltinModule`. An `import` reads all their exports, also those that Node
 * loads on demand: `node:http` then loads a second undici, `node:tls` all root certificates. That costs time and memory
 * at every start.
 */
function lazyBuiltins(): Plugin {
  return {
    name: 'lazy-builtins',
    // The bundler's own helpers are needed to read a replaced module.
    resolveId: (source, importer, { kind }) =>
      isBuiltin(source) && kind === 'import-statement' && !importer?.startsWith('\0')
        ? `${builtinPrefix}${source}`
        : null,
    load: (id) =>
      id.startsWith(builtinPrefix)
        ? `module.exports = process.getBuiltinModule(${JSON.stringify(id.slice(builtinPrefix.length))})`
        : null
  }
}

/**
 * Modules that libraries load if they are installed, and do without otherwise.
 * - `@napi-rs/nice` is native code. Piscina uses it to lower the priority of threads, which Tollgate does not.
 */
const optional = /^@napi-rs\/nice$/

/** Makes optional modules missing at run time, as if they were not installed. */
function withoutOptional(): Plugin {
  return {
    name: 'without-optional',
    resolveId: (source) => (optional.test(source) ? `\0missing:${source}` : null),
    load: (id) =>
      id.startsWith('\0missing:')
        ? {
            code: `throw new Error(${JSON.stringify(`The package has no ${id.slice('\0missing:'.length)}.`)})`,
            moduleSideEffects: true
          }
        : null
  }
}

const threadFile = /\(__dirname, 'worker\.js'\)/

/** Adds the program of Piscina's threads, which Piscina looks for beside itself. */
function piscinaThread(lib: string): Plugin {
  return {
    name: 'piscina-thread',
    transform(code, id) {
      if (!id.endsWith('/piscina/dist/index.js')) return null
      if (!threadFile.test(code)) throw new Error(`${id} looks for the program of its threads in another place`)
      this.emitFile({ type: 'chunk', id: join(dirname(id), 'worker.js'), fileName: join(lib, 'worker.js') })
      return null
    }
  }
}

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
  const input = { ...plan.programs, launch: './launch.ts' }
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

/** Replaces the module that opens PGlite: the package has none. */
function withoutPglite(): Plugin {
  return {
    name: 'without-pglite',
    async resolveId(source, importer) {
      if (!source.endsWith('/open-pglite.ts') || importer === undefined) return null
      return this.resolve(source.replace('open-pglite.ts', 'without-pglite.ts'), importer)
    }
  }
}

/**
 * The file of the package, without its extension, that a module is in; null: the bundler decides. Each library has its
 * own file. Node's modules share one: all others may need them first.
 */
function fileOf(id: string): string | null {
  if (id.startsWith(builtinPrefix)) return 'node'
  // Piscina starts one of its modules as the program of a thread, which the bundler would merge with the library's
  // file.
  if (id.includes('/node_modules/piscina/')) return null
  const library = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(id)?.[1]
  return library?.replace('@', '').replace('/', '-') ?? null
}

/**
 * Leaves the code of libraries out of source maps. Node parses all maps when it loads the code: those of libraries
 * would cost a gateway 20 MB of memory. Their code is bundled as it is, so its names are in the traces anyway.
 */
function ownMaps(): Plugin {
  return {
    name: 'own-maps',
    transform: (code, id) => (id.includes('/node_modules/') ? { code, map: { mappings: '' } } : null)
  }
}

/** Removes the maps that are empty, and what refers to them: Node splits each file that names a map into its lines. */
function removeEmptyMaps(outDir: string, chunks: readonly OutputChunk[]): void {
  for (const { fileName, code, map, sourcemapFileName } of chunks) {
    if (map === null || sourcemapFileName === null || map.sources.length > 0) continue
    rmSync(join(outDir, sourcemapFileName))
    writeFileSync(join(outDir, fileName), code.replace(/\n\/\/# sourceMappingURL=\S+\s*$/, '\n'))
  }
}
