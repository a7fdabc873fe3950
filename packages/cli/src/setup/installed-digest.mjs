// @ts-check
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Stored in node_modules, so that removing node_modules also removes it. */
const digestFile = join('node_modules', '.tollgate-setup')
const topFiles = ['package.json', 'pnpm-lock.yaml', 'pnpm-workspace.yaml']
const packageFolders = ['packages', 'services']

/**
 * Digests the files that decide an installation: the lock file, and the package.json of the workspace and of each package.
 *
 * @param {string} root the workspace's directory
 * @returns {string} SHA-256 in hex
 */
export function digestOfInputs(root) {
  const digest = createHash('sha256')
  for (const path of inputs(root)) {
    const content = readFileSync(join(root, path))
    digest.update(`${path}\0${content.length}\0`).update(content)
  }
  return digest.digest('hex')
}

/**
 * Whether the recorded installation still matches the workspace.
 *
 * @param {string} root
 */
export function isInstallationCurrent(root) {
  const path = join(root, digestFile)
  return existsSync(path) && readFileSync(path, 'utf8') === digestOfInputs(root)
}

/**
 * Records that the current installation matches the workspace.
 *
 * @param {string} root
 */
export function recordInstallation(root) {
  const path = join(root, digestFile)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, digestOfInputs(root))
}

/** @param {string} root */
function inputs(root) {
  const paths = [...topFiles]
  for (const folder of packageFolders) {
    if (!existsSync(join(root, folder))) continue
    for (const name of readdirSync(join(root, folder)).sort()) paths.push(`${folder}/${name}/package.json`)
  }
  return paths.filter((path) => existsSync(join(root, path)))
}
