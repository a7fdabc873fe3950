import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import tailwind from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { build, type Rolldown } from 'vite'
import { apiReferencePath } from '../docs/list-pages.ts'
import { signInPaths } from '../pages/auth/paths.ts'
import { buildSite } from './build-site.ts'
import { browsers, draftDir, packageDir, publishDraft, sharedSettings } from './builds.ts'
import { loadFirstView, writeFirstScript } from './first-views.ts'
import { planChunks } from './plan-chunks.ts'
import { writePages } from './write-pages.ts'

const page = join(packageDir, 'api-reference.html')
/** The whole viewer. What else its package exports needs libraries that are not installed: see pnpm-workspace.yaml. */
const viewer = join(packageDir, 'node_modules/@scalar/api-reference/dist/browser/standalone.esm.js')

/**
 * Builds the API reference, a page of its own. It shares no file with the dashboard, whose code needs no part of the
 * viewer.
 *
 * @param outDir a build of the dashboard, which gets the files
 */
async function buildApiReference(outDir: string): Promise<void> {
  const licences = join(outDir, 'licences.json')
  const ofDashboard = readFileSync(licences, 'utf8')
  await build({
    ...sharedSettings,
    resolve: { alias: { '@scalar/api-reference': viewer } },
    build: {
      outDir,
      emptyOutDir: false,
      // Its files are small already.
      minify: false,
      assetsInlineLimit: 0,
      chunkSizeWarningLimit: Number.POSITIVE_INFINITY,
      license: { fileName: 'licences.json' },
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      rolldownOptions: { input: page }
    }
  })
  const all = [ofDashboard, readFileSync(licences, 'utf8')].flatMap((text) => JSON.parse(text) as unknown[])
  writeFileSync(licences, JSON.stringify(all))
}

/** Smaller files fit into one packet without compression. */
const minBytes = 1024
/**
 * Larger ones are of the viewer of the API reference. The last 4 % of their size would take most of the build's time.
 */
const largeBytes = 250_000

/** Writes `<file>.br` and `<file>.gz` beside each text file in a directory. */
function compressFiles(directory: string): void {
  for (const name of globSync('**/*.{js,css,svg}', { cwd: directory })) {
    const path = join(directory, name)
    const content = readFileSync(path)
    if (content.length < minBytes) continue
    const params = {
      [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
      [constants.BROTLI_PARAM_QUALITY]: content.length > largeBytes ? 9 : constants.BROTLI_MAX_QUALITY
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
    new Map([
      ...signInPaths.map((path) => [path, 'sign-in.html'] as const),
      [apiReferencePath, 'api-reference.html'],
      ['/captcha', 'captcha.html']
    ])
  )
  await buildApiReference(outDir)
  await buildSite(outDir)
  compressFiles(outDir)
  publishDraft(digest)
}
