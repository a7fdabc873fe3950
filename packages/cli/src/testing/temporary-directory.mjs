import { mkdirSync, readdirSync, rmSync, statfsSync } from 'node:fs'
import { freemem } from 'node:os'
import { join } from 'node:path'

const memory = '/dev/shm'
const needed = 4 * 2 ** 30
const prefix = 'tollgate-test-'

/**
 * Gives the process of each test file a temporary directory of its own, in memory where there is plenty. Most tests copy a
 * database, a thousand files, and remove it soon after. A file system on a disk (ext4) does not take numbers of removed
 * files again for some seconds, and looks through all of them for each new file: that was a third of a test's time.
 *
 * What a process left that was killed is removed by the next one.
 */
if (process.env.TMPDIR === undefined && hasRoom()) {
  const directory = join(memory, `${prefix}${process.pid}`)
  for (const name of readdirSync(memory)) {
    if (name.startsWith(prefix) && !isRunning(Number(name.slice(prefix.length)))) remove(join(memory, name))
  }
  mkdirSync(directory, { recursive: true })
  process.env.TMPDIR = directory
  process.once('exit', () => remove(directory))
}

function hasRoom() {
  try {
    const { bavail, bsize } = statfsSync(memory)
    return bavail * bsize > needed && freemem() > needed
  } catch {
    // Not every system has it.
    return false
  }
}

function isRunning(pid) {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error.code === 'EPERM'
  }
}

function remove(path) {
  try {
    rmSync(path, { recursive: true, force: true, maxRetries: 3 })
  } catch {
    // Another process is removing it, or something is still written there: then a later test removes it.
  }
}
