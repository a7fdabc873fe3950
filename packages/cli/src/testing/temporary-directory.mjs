import { mkdirSync, readdirSync, rmSync, statfsSync } from 'node:fs'
import { freemem } from 'node:os'
import { join } from 'node:path'

const memory = '/dev/shm'
const needed = 4 * 2 ** 30
const prefix = 'tollgate-test-'

/**
 * Gives each test file its own temporary directory, in memory if there is enough. Most tests copy a database of a
 * thousand files and soon remove it. ext4 does not reuse removed inodes for some seconds, and searches all of them for
 * each new file. That took a third of a test's time.
 *
 * The next process removes the directories that a killed process left.
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
    // Not every system has this directory.
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
    // Another process removes or still writes it; a later test then removes it.
  }
}
