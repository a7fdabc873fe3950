import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const inputs = ['index.html', 'package.json', '../../pnpm-lock.yaml', 'src/**/*.{ts,tsx,css,svg}']

/**
 * Names a build by everything that decides what is in it: the sources, and the versions of what they are made with.
 *
 * @param packageDir the directory of the dashboard's package
 * @returns sixteen hex digits
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
