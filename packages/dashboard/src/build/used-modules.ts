import { join } from 'node:path'
import react from '@vitejs/plugin-react'
import { build, type Plugin, type Rolldown } from 'vite'
import { packageDir } from './builds.ts'

/** Styles decide nothing here, and take most of the time. */
const withoutStyles: Plugin = {
  name: 'without-styles',
  enforce: 'pre',
  load: (id) => (id.endsWith('.css') ? { code: '', moduleType: 'js' } : null)
}

/**
 * Finds which modules an entry of the code needs before it can start. What a module imports says too little: many libraries
 * have one module that names all others, and most of them are left out of a build.
 *
 * @param sources absolute paths of modules: of an app, or loaded later by one
 * @returns for each source the ids of the modules, its own included
 */
export async function findUsedModules(sources: readonly string[]): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const built = await build({
    configFile: false,
    envDir: false,
    root: packageDir,
    logLevel: 'warn',
    plugins: [react(), withoutStyles],
    build: {
      write: false,
      minify: false,
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      rolldownOptions: { input: [...sources] }
    }
  })
  const chunks = (built as Rolldown.RolldownOutput).output.filter((file) => file.type === 'chunk')
  const byName = new Map(chunks.map((chunk) => [chunk.fileName, chunk]))
  const addClosure = (name: string, found: Set<Rolldown.OutputChunk>) => {
    const chunk = byName.get(name)
    if (chunk === undefined || found.has(chunk)) return found
    found.add(chunk)
    for (const imported of chunk.imports) addClosure(imported, found)
    return found
  }
  return new Map(
    sources.map((source) => {
      const entry = chunks.find(({ facadeModuleId }) => facadeModuleId === join(source))
      if (entry === undefined) throw new Error(`the build has no ${source}`)
      const modules = [...addClosure(entry.fileName, new Set())].flatMap((chunk) => Object.entries(chunk.modules))
      return [source, new Set(modules.filter(([, { renderedLength }]) => renderedLength > 0).map(([id]) => id))]
    })
  )
}
