import tailwind from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { build } from 'vite'
import { draftDir, packageDir, publishDraft } from './builds.ts'
import { compressFiles } from './compress-files.ts'

/** Builds the current sources and makes control serve them. Takes a few seconds; prints warnings only. */
export async function buildDashboard(digest: string): Promise<void> {
  const outDir = draftDir(digest)
  await build({
    configFile: false,
    envDir: false,
    root: packageDir,
    logLevel: 'warn',
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
      reportCompressedSize: false
    }
  })
  compressFiles(outDir)
  publishDraft(digest)
}
