import { readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { readSecretFiles } from '@tollgate/service/config/secret-files.ts'

/**
 * Adds the `NAME=value` lines of a file to the environment. Variables of the environment win, even if empty:
 * `REDIS_URL= npm start` ignores the file's value once. Secrets in files of their own are read: {@link readSecretFiles}.
 *
 * @param path the file; it may be absent
 */
export function completeEnv(env: Readonly<NodeJS.ProcessEnv>, path: string): NodeJS.ProcessEnv {
  let text = ''
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  // The services report files that cannot be read.
  return readSecretFiles({ ...parseEnv(text), ...env }).env
}
