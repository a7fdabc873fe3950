import { UsageError } from '../commands/command-error.ts'

/**
 * The address of control: the given one, else `TOLLGATE_URL`, else `PUBLIC_URL`, else where `npm start` serves.
 *
 * @throws UsageError if it is no http(s) URL
 */
export function controlUrl(given: string | null, env: Readonly<Record<string, string | undefined>>): string {
  const text = given || env.TOLLGATE_URL || env.PUBLIC_URL || `http://localhost:${env.CONTROL_PORT || 3000}`
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) {
    throw new UsageError(`"${text}" is not the address of control. It begins with https:// or http://.`)
  }
  return new URL(text).origin
}

/** Whether a password sent to the address could be read on its way. */
export function isUnprotected(url: string): boolean {
  const { protocol, hostname } = new URL(url)
  return protocol === 'http:' && !/^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)
}
