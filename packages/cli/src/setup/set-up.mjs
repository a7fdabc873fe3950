// @ts-check
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** @type {NodeJS.Signals[]} */
const forwarded = ['SIGINT', 'SIGTERM', 'SIGHUP']

/** Stored in node_modules, so that removing node_modules also removes it. */
const digestFile = join('node_modules', '.tollgate-setup')

const topFiles = ['package.json', 'pnpm-lock.yaml', 'pnpm-workspace.yaml']
const packageFolders = ['packages', 'services']

const timeoutMs = 5000

/** Codes that say: no way to the server. Others, such as a bad certificate, are for npm to explain. */
const away = new Set([
  'ENOTFOUND',
  'EAI_AGAIN',
  'ECONNREFUSED',
  'ENETUNREACH',
  'EHOSTUNREACH',
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT'
])

const pnpm = 'pnpm@12.21.0'
const nodeMajor = 24

/** The set-up failed. The message is for the person at the terminal. */
export class SetUpError extends Error {
  /** @param {string} message */
  constructor(message) {
    super(message)
    this.name = 'SetUpError'
  }
}

/**
 * The workspace's own Node.
 *
 * @param {string} root the workspace's directory
 */
export function workspaceNode(root) {
  return join(root, 'node_modules', '.bin', 'node')
}

/**
 * Installs the workspace's dependencies, its Node among them, unless the last installation is still current. pnpm comes
 * through npx; its output is shown.
 *
 * @param {string} root the workspace's directory
 * @throws {SetUpError}
 */
export async function setUp(root) {
  if (isInstallationCurrent(root) && existsSync(workspaceNode(root))) return
  console.log('Installing the dependencies of Tollgate (about 300 MB). This happens once, and takes a minute or two.')
  const beganAt = performance.now()
  const unreachable = findUnreachableRegistry(process.env)
  void unreachable.then((found) => {
    if (found !== null) console.log(`${describeUnreachable(found)} npm still tries.`)
  })
  // Without this setting, pnpm asks before it replaces an installation of another pnpm version.
  const args = ['--yes', pnpm, 'install', '--frozen-lockfile', '--config.confirmModulesPurge=false']
  let end
  try {
    end = await runProgram('npx', args, { cwd: root, env: process.env })
  } catch (error) {
    throw new SetUpError(`npx, which comes with npm, cannot be run: ${error}`)
  }
  if (end.signal !== null) throw new SetUpError(`${end.signal} ended the installation.`)
  if (end.code !== 0) {
    const found = await unreachable
    const failed = `The installation failed (npx ${args.join(' ')}).`
    throw new SetUpError(found === null ? failed : `${failed}\n${describeUnreachable(found)} ${offlineCure}`)
  }
  checkNode(root)
  recordInstallation(root)
  console.log(`Installed in ${Math.round((performance.now() - beganAt) / 1000)} s.`)
}

/** @param {{ registry: string, code: string }} found */
function describeUnreachable({ registry, code }) {
  const { host } = new URL(registry)
  return `The npm registry ${host} cannot be reached (${code}).`
}

const offlineCure =
  'The first start downloads the dependencies: connect to the internet, or name a mirror with "npm config set registry <url>" or a proxy with HTTPS_PROXY. Then repeat the command.'

/** @param {string} root */
function checkNode(root) {
  const path = workspaceNode(root)
  const { stdout, error } = spawnSync(path, ['--version'], { encoding: 'utf8' })
  if (error !== undefined || !stdout.startsWith(`v${nodeMajor}.`)) {
    const found = error === undefined ? stdout.trim() : error.message
    throw new SetUpError(
      `The installation left no Node ${nodeMajor} at ${path} (${found}). Remove node_modules and try again.`
    )
  }
}

/**
 * Whether npm's registry can be reached. A proxy may reach what this process does not, so with one the answer is always
 * yes.
 *
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<{ registry: string, code: string } | null>} null if it can; otherwise the registry and the error's
 *   code
 */
async function findUnreachableRegistry(env) {
  const hasProxy = [
    'HTTPS_PROXY',
    'https_proxy',
    'HTTP_PROXY',
    'http_proxy',
    'npm_config_proxy',
    'npm_config_https_proxy'
  ].some((name) => env[name])
  // `npm start` passes npm's settings on to its scripts.
  const registry = env.npm_config_registry || 'https://registry.npmjs.org/'
  if (hasProxy) return null
  try {
    await fetch(registry, { method: 'HEAD', signal: AbortSignal.timeout(timeoutMs) })
    return null
  } catch (error) {
    const { name, cause } = /** @type {{ name: string, cause?: { code?: string, errors?: { code?: string }[] } }} */ (
      error
    )
    const code = name === 'TimeoutError' ? 'ETIMEDOUT' : (cause?.code ?? cause?.errors?.[0]?.code ?? '')
    return away.has(code) ? { registry, code } : null
  }
}

/**
 * Digests the files that decide an installation: the lock file, and the package.json of the workspace and of each
 * package.
 *
 * @param {string} root the workspace's directory
 * @returns {string} SHA-256 in hex
 */
function digestOfInputs(root) {
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

/**
 * @typedef {object} RunOptions
 * @property {string} cwd
 * @property {NodeJS.ProcessEnv} env
 * @property {boolean} [channel] gives the program an IPC channel, which closes when this process ends
 */

/**
 * Runs a program in this terminal and passes signals on to it.
 *
 * @param {string} path
 * @param {readonly string[]} args
 * @param {RunOptions} options
 * @returns {Promise<{ code: number | null, signal: NodeJS.Signals | null }>} how it ended
 * @throws the system's error if it cannot be started
 */
export async function runProgram(path, args, { cwd, env, channel = false }) {
  /** @type {import('node:child_process').StdioOptions} */
  const stdio = channel ? ['inherit', 'inherit', 'inherit', 'ipc'] : 'inherit'
  const child = spawn(path, args, { cwd, env, stdio })
  /** @param {NodeJS.Signals} signal */
  const forward = (signal) => {
    child.kill(signal)
  }
  for (const signal of forwarded) process.on(signal, forward)
  try {
    const [code, signal] = await once(child, 'exit')
    return { code, signal }
  } finally {
    for (const signal of forwarded) process.off(signal, forward)
  }
}
