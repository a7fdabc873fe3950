import { setTimeout as delay } from 'node:timers/promises'
import { freePort } from '@tollgate/sandbox/free-port.ts'
import { readAnonymousBytes, readCpuNanos, readResidentBytes } from '../measure/proc.ts'
import { type Children, isRunning } from './children.ts'

const startTimeoutMs = 60_000
const pollMs = 10

/** A service, from the clone or from its package. */
export interface Service {
  readonly name: 'gateway' | 'control'
  /** The program. */
  readonly file: string
  readonly env: Readonly<Record<string, string>>
}

/** What a start took. */
export interface StartFigures {
  /** From the start of the process until `/readyz` answered 200. */
  readonly seconds: number
  /** CPU time of the process until then. */
  readonly cpuSeconds: number
  /** Resident memory after a rest. */
  readonly residentBytes: number
  /** Part of `residentBytes`: without the pages of files, such as Node's own program, which all its processes share. */
  readonly ownBytes: number
}

/**
 * Starts a service, measures it, and stops it.
 *
 * @param restMs how long it rests before its memory is read
 * @throws Error with the service's output if it does not become ready
 */
export async function measureStart(
  children: Children,
  { name, file, env }: Service,
  restMs: number
): Promise<StartFigures> {
  const [port, adminPort] = [await freePort(), await freePort()]
  const prefix = name.toUpperCase()
  const startedAt = performance.now()
  const child = children.startNode({
    name,
    file,
    // Without this process's environment, so that figures do not depend on it.
    env: { ...env, [`${prefix}_PORT`]: String(port), [`${prefix}_ADMIN_PORT`]: String(adminPort) },
    core: null,
    servesCommands: false
  })
  try {
    for (;;) {
      const answer = await fetch(`http://127.0.0.1:${adminPort}/readyz`).catch(() => null)
      if (answer?.status === 200) break
      if (!isRunning(child) || performance.now() - startedAt > startTimeoutMs) {
        throw new Error(`${name} did not become ready. Its last output:\n${child.output()}`)
      }
      await delay(pollMs)
    }
    const seconds = (performance.now() - startedAt) / 1000
    const cpuSeconds = readCpuNanos(child.pid) / 1e9
    await delay(restMs)
    return { seconds, cpuSeconds, residentBytes: readResidentBytes(child.pid), ownBytes: readAnonymousBytes(child.pid) }
  } finally {
    await children.stop(child)
  }
}
