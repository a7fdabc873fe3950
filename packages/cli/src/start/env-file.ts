import { readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'

/**
 * Adds the `NAME=value` lines of a file to the environment. Variables of the environment win, even if empty:
 * `REDIS_URL= npm start` ignores the file's value once.
 *
 * @param path the file; it may be absent
 */
export function completeEnv(env: Readonly<NodeJS.ProcessEnv>, path: string): NodeJS.ProcessEnv {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return { ...env }
  }
  return { ...parseEnv(text), ...env }
}
