import { existsSync, readdirSync, readlinkSync, renameSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { sourceDigest } from './source-digest.ts'

export const packageDir = fileURLToPath(new URL('../..', import.meta.url))
/** Holds a directory for each of the last builds, and `current`, a link to the one that is served. */
const distDir = join(packageDir, 'dist')
const currentLink = join(distDir, 'current')
/** A control that is running goes on serving the build with which it was started. */
const keptBuilds = 3
const isBuild = (name: string) => /^[0-9a-f]{16}$/.test(name)

/** The digest that a build of the present sources has, if it is not the current one already; else null. */
export function findStaleDigest(): string | null {
  const digest = sourceDigest(packageDir)
  const isCurrent = existsSync(join(currentLink, 'index.html')) && readlinkSync(currentLink) === digest
  return isCurrent ? null : digest
}

/** Where a build may be written before it is complete; no other process writes there. */
export const draftDir = (digest: string): string => join(distDir, `${digest}.${process.pid}`)

/**
 * Makes a complete draft the current build. Processes that build the same at the same time do not disturb each other:
 * what each of them replaces, it replaces at once.
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
    .sort((one, other) => other.builtAt - one.builtAt)
  for (const { name } of byAge.slice(keptBuilds - 1)) rmSync(join(distDir, name), { recursive: true, force: true })
}
