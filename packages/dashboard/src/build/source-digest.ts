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
export function sourceDigest(packageDir: string): string {
  const digest = createHash('sha256')
  const files = globSync(inputs, { cwd: packageDir, exclude: ['**/*.test.ts'] }).sort()
  for (const file of files) {
    const content = readFileSync(join(packageDir, file))
    digest.update(`${file}\0${content.length}\0`).update(content)
  }
  return digest.digest('hex').slice(0, 16)
}
