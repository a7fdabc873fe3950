import { join } from 'node:path'
import tailwind from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { build, type Rolldown } from 'vite'
import { apiReferencePath } from '../docs/list-pages.ts'
import { signInPaths } from '../pages/auth/paths.ts'
import { buildApiReference } from './build-api-reference.ts'
import { draftDir, packageDir, publishDraft } from './builds.ts'
import { compressFiles } from './compress-files.ts'
import { loadFirstView, writeFirstScript } from './first-views.ts'
import { readPageNeeds } from './page-needs.ts'
import { planChunks } from './plan-chunks.ts'
import { sharedSettings } from './shared-settings.ts'
import { writePages } from './write-pages.ts'

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
      // The themes use light-dark(), which older browsers lack.
      target: ['chrome123', 'edge123', 'firefox120', 'safari17.5'],
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
    readPageNeeds(sourceDir),
    new Map([
      ...signInPaths.map((path) => [path, 'sign-in.html'] as const),
      [apiReferencePath, 'api-reference.html'],
      ['/captcha', 'captcha.html']
    ]),
    { render: await loadFirstView(outDir), script: await writeFirstScript(outDir) }
  )
  await buildApiReference(outDir)
  compressFiles(outDir)
  publishDraft(digest)
}
