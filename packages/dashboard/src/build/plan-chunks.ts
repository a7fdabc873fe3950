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
 * Finds which modules an entry of the code needs before it can start. What a module imports says too little: many
 * libraries have one module that names all others, and most of them are left out of a build.
 *
 * @param sources absolute paths of modules: of an app, or loaded later by one
 * @returns for each source the ids of the modules, its own included
 */
async function findUsedModules(sources: readonly string[]): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
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
  const addClosure = (name: string, closure: Set<Rolldown.OutputChunk>) => {
    const chunk = byName.get(name)
    if (chunk === undefined || closure.has(chunk)) return closure
    closure.add(chunk)
    for (const imported of chunk.imports) addClosure(imported, closure)
    return closure
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

type CodeSplitting = Exclude<Rolldown.OutputOptions['codeSplitting'], boolean | undefined>

/** Shared code below this size joins other shared code: a request costs more than some unused code. Bytes of source. */
const minSharedSize = 15_000

/** Of both apps. */
const isStyle = (id: string): boolean => /[\\/]src[\\/](styles|fonts[\\/]fonts)\.css$/.test(id)

/** The modules of these groups are known exactly: what they import besides is left out of the build. */
const exact = { includeDependenciesRecursively: false }

/** Everything that opens over the page needs much of a library: dialogs most of all. */
const isOfDialogs = (id: string): boolean =>
  /[\\/]@base-ui[\\/]react[\\/](dialog|utils[\\/]FloatingPortalLite)|[\\/](ui[\\/]dialog|forms[\\/]dialog-form)\.tsx$/.test(
    id
  )
const opens = (id: string): boolean =>
  isOfDialogs(id) ||
  /[\\/](webhooks[\\/].*|number-field|select-field|select-box|choice|toast-stack|exact-time|bell-panel|menu)\.tsx$/.test(
    id
  )

/** Our own small components and functions, and icons. A file has all that its modules import. */
const isPart = (id: string): boolean =>
  /[\\/]dashboard[\\/]src[\\/](?!pages|webhooks|snippets|api[\\/]admin)|[\\/]lucide-react[\\/]/.test(id) && !opens(id)

/**
 * Decides which modules share a file. Browsers need few files for a page, because they request only six at a time over
 * HTTP/1.1:
 *
 * - `react`: changes rarely. With what the bundler adds.
 * - `base`: what both the sign-in pages and the overview need.
 * - `forms`: the rest that the sign-in pages share with others, above all forms.
 * - `frame`: what every page of the dashboard needs.
 * - `first`: what the overview and other pages need. It is the first page of most visits, so it loads nothing that it
 *   lacks.
 * - `dialogs`: what opens over a page, loaded with pages that have dialogs, or when the first one opens.
 * - `parts`: our components that most pages need.
 * - `shared…`: what several pages need.
 *
 * @param sourceDir the absolute path of `src`
 */
export async function planChunks(sourceDir: string): Promise<CodeSplitting> {
  const signIn = join(sourceDir, 'sign-in.tsx')
  const frame = [join(sourceDir, 'main.tsx'), join(sourceDir, 'layout/shell.tsx')]
  const overview = join(sourceDir, 'pages/overview/overview-page.tsx')
  const used = await findUsedModules([signIn, overview, ...frame])
  const isOf = (id: string, ...sources: string[]) => sources.some((source) => used.get(source)?.has(id) === true)
  return {
    groups: [
      { name: 'react', test: /^\0rolldown|node_modules[\\/](react|react-dom|scheduler)[\\/]/, priority: 8 },
      {
        ...exact,
        name: 'base',
        test: (id) => isStyle(id) || (isOf(id, signIn) && isOf(id, overview, ...frame)),
        priority: 7
      },
      { ...exact, name: 'forms', test: (id) => isOf(id, signIn), minShareCount: 2, priority: 6 },
      { ...exact, name: 'frame', test: (id) => isOf(id, ...frame), priority: 5 },
      { ...exact, name: 'first', test: (id) => isOf(id, overview), minShareCount: 2, priority: 4 },
      { name: 'dialogs', test: isOfDialogs, minShareCount: 2, priority: 3 },
      { name: 'parts', test: isPart, minShareCount: 2, priority: 2 },
      {
        name: 'shared',
        minShareCount: 2,
        entriesAware: true,
        entriesAwareMergeThreshold: minSharedSize,
        priority: 1
      }
    ]
  }
}
