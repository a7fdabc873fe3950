import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'vite'
import { packageDir } from './builds.ts'
import { sharedSettings } from './shared-settings.ts'

const page = join(packageDir, 'api-reference.html')
/** The whole viewer. What else its package exports needs libraries that are not installed: see pnpm-workspace.yaml. */
const viewer = join(packageDir, 'node_modules/@scalar/api-reference/dist/browser/standalone.esm.js')

/**
 * Builds the API reference, a page of its own. It shares no file with the dashboard, whose code needs no part of the viewer.
 *
 * @param outDir a build of the dashboard, which gets the files
 */
export async function buildApiReference(outDir: string): Promise<void> {
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
