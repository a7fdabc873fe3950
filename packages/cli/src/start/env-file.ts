import { readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'

/**
 * The environment, completed by a file of `NAME=value` lines. What the environment has wins, even if it is empty:
 * `REDIS_URL= npm start` is how to leave out for once what the file sets.
 *
 * @param path the file need not be there
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
