import tailwind from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { build } from 'vite'
import { draftDir, packageDir, publishDraft } from './builds.ts'
import { compressFiles } from './compress-files.ts'

/** Builds the present sources, and makes that the build which control serves. Takes a few seconds; writes warnings only. */
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
      // Browsers of the last years: the colours of both themes are written with light-dark().
      target: ['chrome123', 'edge123', 'firefox120', 'safari17.5'],
      emptyOutDir: true,
      // A data: URL is one more thing that the content security policy would have to allow.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false
    }
  })
  compressFiles(outDir)
  publishDraft(digest)
}
