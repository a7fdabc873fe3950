import { existsSync, readdirSync, readlinkSync, renameSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { sourceDigest } from './source-digest.ts'

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
