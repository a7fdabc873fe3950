import { join } from 'node:path'
import type { Plugin, Rolldown } from 'vite'

type Groups = Exclude<Rolldown.OutputOptions['codeSplitting'], boolean | undefined>['groups']

/** Shared code below this size joins other shared code: a request costs more than some unused code. Bytes of source. */
const minSharedSize = 15_000

/** Our own small components and functions, and icons. Fields that open a list need much of a library. */
const isPart = (id: string): boolean =>
  /[\\/]dashboard[\\/]src[\\/](?!pages)|[\\/]lucide-react[\\/]/.test(id) && !/[\\/](select|number)-field\.tsx$/.test(id)

/**
 * Decides which modules share a file. Browsers need few files for a page, because they request only six at a time over
 * HTTP/1.1:
 *
 * - `react`: changes rarely.
 * - `base`: what the sign-in pages and others need.
 * - `frame`: what every page of the dashboard needs.
 * - `shared…`: what several pages need.
 *
 * @param sourceDir the absolute path of `src`
 * @returns a plugin that learns what imports what, and the groups that use its knowledge
 */
export function planChunks(sourceDir: string): { readonly plugin: Plugin; readonly groups: Groups } {
  const base = new Set<string>()
  const frame = new Set<string>()
  const plugin: Plugin = {
    name: 'plan-chunks',
    buildEnd() {
      const addImports = (id: string, found: Set<string>) => {
        if (found.has(id)) return
        found.add(id)
        for (const imported of this.getModuleInfo(id)?.importedIds ?? []) addImports(imported, found)
      }
      addImports(join(sourceDir, 'sign-in.tsx'), base)
      addImports(join(sourceDir, 'main.tsx'), frame)
      addImports(join(sourceDir, 'layout/shell.tsx'), frame)
    }
  }
  const groups: Groups = [
    { name: 'react', test: /node_modules[\\/](react|react-dom|scheduler)[\\/]/, priority: 4 },
    { name: 'base', test: (id) => base.has(id), minShareCount: 2, priority: 3 },
    { name: 'frame', test: (id) => frame.has(id), minShareCount: 2, priority: 2 },
    { name: 'parts', test: (id) => isPart(id), minShareCount: 3, priority: 2 },
    {
      name: 'shared',
      minShareCount: 2,
      entriesAware: true,
      entriesAwareMergeThreshold: minSharedSize,
      priority: 1
    }
  ]
  return { plugin, groups }
}
