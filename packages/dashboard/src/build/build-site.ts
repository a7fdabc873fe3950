import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import tailwind from '@tailwindcss/vite'
import { build, type Rolldown } from 'vite'
import { browsers, packageDir, sharedSettings } from './builds.ts'

/**
 * Builds the stylesheet and the script of the public pages, which control writes. `site.json` names them for control.
 *
 * @param outDir a build of the dashboard, which has the fonts
 */
export async function buildSite(outDir: string): Promise<void> {
  const built = await build({
    ...sharedSettings,
    plugins: [tailwind()],
    build: {
      outDir,
      emptyOutDir: false,
      target: [...browsers],
      // Otherwise a script that is no module would write the styles into the page.
      cssCodeSplit: false,
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      rolldownOptions: {
        input: { site: join(packageDir, 'src/site/main.ts') },
        // A module would run after the first paint.
        output: { format: 'iife', entryFileNames: 'assets/[name]-[hash].js' }
      }
    }
  })
  const { output } = built as Rolldown.RolldownOutput
  const nameOf = (pattern: RegExp) => {
    const file = output.find(({ fileName }) => pattern.test(fileName))
    if (file === undefined) throw new Error(`the build of the public pages has no ${pattern}`)
    return `/${file.fileName}`
  }
  const files = {
    stylesheet: nameOf(/\.css$/),
    script: nameOf(/\.js$/),
    font: `/assets/${latinFont(outDir)}`
  }
  writeFileSync(join(outDir, 'site.json'), JSON.stringify(files))
}

/** The file with the font of Latin letters, which pages name so that browsers request it early. */
export function latinFont(outDir: string): string {
  const font = readdirSync(join(outDir, 'assets')).find((name) => /^geist-latin-400.*\.woff2$/.test(name))
  if (font === undefined) throw new Error('the build has no font of Latin letters')
  return font
}
