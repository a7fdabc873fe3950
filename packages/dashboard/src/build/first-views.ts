import { hash } from 'node:crypto'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import react from '@vitejs/plugin-react'
import { build, type InlineConfig, type Rolldown } from 'vite'
import { packageDir, sharedSettings } from './builds.ts'

const sourceDir = join(packageDir, 'src')

const shared: InlineConfig = { ...sharedSettings, plugins: [react()] }

/** Renders what pages show until their code runs: see first-view.tsx. */
export type FirstViewModule = typeof import('../first-view.tsx')

/**
 * Loads the module that renders first views.
 *
 * @param outDir a build; the code is put there for a moment
 */
export async function loadFirstView(outDir: string): Promise<FirstViewModule> {
  const built = await build({
    ...shared,
    build: { write: false, minify: false, ssr: join(sourceDir, 'first-view.tsx') },
    // Only our own packages need it, from where this package cannot import it.
    ssr: { noExternal: ['typebox'] }
  })
  const directory = join(outDir, 'first-view')
  // Code that is loaded later has files of its own, in a folder.
  mkdirSync(join(directory, 'assets'), { recursive: true })
  try {
    for (const file of chunksOf(built)) writeFileSync(join(directory, file.fileName), file.code)
    const [entry] = chunksOf(built).filter(({ isEntry }) => isEntry)
    return (await import(pathToFileURL(join(directory, entry!.fileName)).href)) as FirstViewModule
  } finally {
    rmSync(directory, { recursive: true })
  }
}

/**
 * Builds the script that runs before the first paint.
 *
 * @returns its address
 */
export async function writeFirstScript(outDir: string): Promise<string> {
  const built = await build({
    ...shared,
    build: {
      write: false,
      modulePreload: { polyfill: false },
      lib: { entry: join(sourceDir, 'first-paint.ts'), formats: ['iife'], name: 'firstPaint' }
    }
  })
  const [{ code }] = chunksOf(built) as [Rolldown.OutputChunk]
  const name = `first-${hash('sha256', code, 'base64url').slice(0, 8)}.js`
  writeFileSync(join(outDir, 'assets', name), code)
  return `/assets/${name}`
}

function chunksOf(built: Awaited<ReturnType<typeof build>>): Rolldown.OutputChunk[] {
  const outputs = Array.isArray(built) ? built : [built as Rolldown.RolldownOutput]
  return outputs.flatMap(({ output }) => output.filter((file) => file.type === 'chunk'))
}
