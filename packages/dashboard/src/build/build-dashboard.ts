import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import tailwind from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { build, type Rolldown } from 'vite'
import { signInPaths } from '../pages/auth/paths.ts'
import { buildSite } from './build-site.ts'
import { browsers, draftDir, packageDir, publishDraft, sharedSettings } from './builds.ts'
import { loadFirstView, writeFirstScript } from './first-views.ts'
import { planChunks } from './plan-chunks.ts'
import { writePages } from './write-pages.ts'

/** Smaller files fit into one packet without compression. */
const minBytes = 1024
/** Writes `<file>.br` and `<file>.gz` beside each text file in a directory. */
function compressFiles(directory: string): void {
  for (const name of globSync('**/*.{js,css,svg}', { cwd: directory })) {
    const path = join(directory, name)
    const content = readFileSync(path)
    if (content.length < minBytes) continue
    const params = {
      [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
      [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY
    }
    writeFileSync(`${path}.br`, brotliCompressSync(content, { params }))
    writeFileSync(`${path}.gz`, gzipSync(content, { level: 9 }))
  }
}

const sourceDir = join(packageDir, 'src')

/** Builds the current sources and makes control serve them. Takes a few seconds; prints warnings only. */
export async function buildDashboard(digest: string): Promise<void> {
  const outDir = draftDir(digest)
  const codeSplitting = await planChunks(sourceDir)
  const built = await build({
    ...sharedSettings,
    plugins: [react(), tailwind()],
    build: {
      outDir,
      target: [...browsers],
      emptyOutDir: true,
      // The content security policy would have to allow data: URLs.
      assetsInlineLimit: 0,
      // For the list of libraries in packages.
      license: { fileName: 'licences.json' },
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      rolldownOptions: {
        input: ['index.html', 'sign-in.html', 'captcha.html'].map((name) => join(packageDir, name)),
        output: {
          // The names of shared chunks list all pages.
          chunkFileNames: ({ name }) => `assets/${name.split('~')[0]}-[hash].js`,
          codeSplitting
        }
      }
    }
  })
  const { output } = built as Rolldown.RolldownOutput
  await writePages(
    outDir,
    output.filter((file) => file.type === 'chunk'),
    await writeFirstScript(outDir),
    await loadFirstView(outDir),
    new Map([...signInPaths.map((path) => [path, 'sign-in.html'] as const), ['/captcha', 'captcha.html']])
  )
  await buildSite(outDir)
  compressFiles(outDir)
  publishDraft(digest)
}
