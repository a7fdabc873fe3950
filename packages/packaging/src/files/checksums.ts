import { hash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The name of the list in a package. */
export const checksumsFile = 'SHA256SUMS'

/** The files that hold the checksums and their signature. */
const withoutChecksum = new Set([checksumsFile, `${checksumsFile}.sig`])

/** The SHA-256 of each file in a folder, sorted by name, in the format that `sha256sum --check` reads. */
export function writeChecksums(folder: string): string {
  return globSync('**/*', { cwd: folder, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .filter((name) => !withoutChecksum.has(name))
    .sort()
    .map((name) => `${hash('sha256', readFileSync(join(folder, name)))}  ${name}\n`)
    .join('')
}
