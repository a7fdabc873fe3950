// @ts-check
import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** @type {NodeJS.Signals[]} */
const forwarded = ['SIGINT', 'SIGTERM', 'SIGHUP']

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
  const child = spawn(path, args, { cwd, env, stdio: ['inherit', 'inherit', 'inherit', ...(channel ? ['ipc'] : [])] })
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
