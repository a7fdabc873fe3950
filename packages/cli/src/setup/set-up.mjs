// @ts-check
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { isInstallationCurrent, recordInstallation } from './installed-digest.mjs'
import { findUnreachableRegistry } from './registry.mjs'
import { runProgram } from './run-program.mjs'

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
