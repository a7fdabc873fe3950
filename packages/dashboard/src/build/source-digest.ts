import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const inputs = [
  '*.html',
  'package.json',
  '../../pnpm-lock.yaml',
  'src/**/*.{ts,tsx,css,svg,woff2}',
  '../contracts/src/**/*.ts'
]

/**
 * Computes the digest of a build from its sources and the versions of its dependencies.
 *
 * @param packageDir the directory of this package
 * @returns 16 hex digits
 */
export const sourceDigest = (packageDir: string): string => digestFiles(packageDir, inputs)

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
