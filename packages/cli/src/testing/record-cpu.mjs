// @ts-check
import { appendFileSync, readFileSync } from 'node:fs'

/**
 * Appends CPU times to the file that the variable `TEST_CPU_FILE` names, one line for each test file: seconds of this
 * process, seconds of its children that have ended, and the file. Without the variable nothing is recorded. Loaded
 * first in each process that tap starts, so that it also records what a process needs in all.
 */

/** CPU time in seconds. @typedef {{ own: number, children: number }} Cpu */

/** @returns {Cpu} */
export function readCpu() {
  const { user, system } = process.cpuUsage()
  return { own: (user + system) / 1e6, children: readChildren() }
}

/**
 * @param {string} file
 * @param {Cpu} [before]
 */
export function recordCpu(file, before = { own: 0, children: 0 }) {
  const path = process.env.TEST_CPU_FILE
  if (path === undefined) return
  const { own, children } = readCpu()
  appendFileSync(path, `${(own - before.own).toFixed(3)} ${(children - before.children).toFixed(3)} ${file}\n`)
}

/** Fields 16 and 17 of /proc/self/stat, in hundredths of a second: see proc(5). 0 on a system without this file. */
function readChildren() {
  try {
    const fields = readFileSync('/proc/self/stat', 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
    return (Number(fields[13]) + Number(fields[14])) / 100
  } catch {
    return 0
  }
}
