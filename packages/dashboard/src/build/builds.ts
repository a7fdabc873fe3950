import { createHash } from 'node:crypto'
import {
  existsSync,
  globSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { InlineConfig } from 'vite'

export const packageDir = fileURLToPath(new URL('../..', import.meta.url))
/** One directory per recent build, and `current`, a link to the served build. */
const distDir = join(packageDir, 'dist')
const currentLink = join(distDir, 'current')
/** Running control processes keep serving the build they started with. */
const maxBuilds = 3
const isBuild = (name: string) => /^[0-9a-f]{16}$/.test(name)

/** The digest of the current sources if they are not built yet; else null. */
export function findStaleDigest(): string | null {
  const digest = sourceDigest(packageDir)
  const isCurrent = existsSync(join(currentLink, 'index.html')) && readlinkSync(currentLink) === digest
  return isCurrent ? null : digest
}

/** The directory for an incomplete build of this process. No other process writes to it. */
export const draftDir = (digest: string): string => join(distDir, `${digest}.${process.pid}`)

/**
 * Makes a complete draft the current build. Several processes can publish the same build at once: each replaces the
 * directory and the link atomically.
 */
export function publishDraft(digest: string): void {
  const draft = draftDir(digest)
  const target = join(distDir, digest)
  if (existsSync(target)) rmSync(draft, { recursive: true })
  else {
    try {
      renameSync(draft, target)
    } catch (error) {
      if (!existsSync(target)) throw error
      rmSync(draft, { recursive: true })
    }
  }
  const link = `${draft}.link`
  symlinkSync(digest, link)
  renameSync(link, currentLink)
  removeOldBuilds(digest)
}

function removeOldBuilds(current: string): void {
  const byAge = readdirSync(distDir)
    .filter((name) => isBuild(name) && name !== current)
    .map((name) => ({ name, builtAt: statSync(join(distDir, name)).mtimeMs }))
    .sort((a, b) => b.builtAt - a.builtAt)
  for (const { name } of byAge.slice(maxBuilds - 1)) rmSync(join(distDir, name), { recursive: true, force: true })
}

/** The oldest browsers that can show the pages. The themes use light-dark(), which older ones lack. */
export const browsers = ['chrome123', 'edge123', 'firefox120', 'safari17.5'] as const

/** Settings of everything that the build makes. */
export const sharedSettings: InlineConfig = { configFile: false, envDir: false, root: packageDir, logLevel: 'warn' }

const inputs = [
  '*.html',
  'package.json',
  '../../pnpm-lock.yaml',
  'src/**/*.{ts,tsx,css,svg,woff2}',
  '../contracts/src/**/*.ts',
  // Their classes.
  '../../services/control/src/site/**/*.ts'
]

/**
 * Computes the digest of a build from its sources and the versions of its dependencies.
 *
 * @param packageDir the directory of this package
 * @returns 16 hex digits
 */
const sourceDigest = (packageDir: string): string => digestFiles(packageDir, inputs)

/**
 * Computes the digest of files. Tests do not count.
 *
 * @param patterns of the files' paths from `dir`
 * @returns 16 hex digits
 */
export function digestFiles(dir: string, patterns: readonly string[]): string {
  const digest = createHash('sha256')
  for (const file of globSync(patterns, { cwd: dir, exclude: ['**/*.test.ts'] }).sort()) {
    const content = readFileSync(join(dir, file))
    digest.update(`${file}\0${content.length}\0`).update(content)
  }
  return digest.digest('hex').slice(0, 16)
}
