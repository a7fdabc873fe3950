/** What the frame of the CAPTCHA tells the form around it. */
export type CaptchaMessage =
  /** The answer of the CAPTCHA; empty if it has expired. */
  | { readonly token: string }
  /** CSS pixels that the frame needs. */
  | { readonly height: number }

const maxHeight = 1000

/** Reads a message of the frame. @returns null for anything else, such as a message of a browser extension */
export function readCaptchaMessage(data: unknown): CaptchaMessage | null {
  if (typeof data !== 'object' || data === null) return null
  const { token, height } = data as { token?: unknown; height?: unknown }
  if (typeof token === 'string') return { token }
  if (typeof height === 'number' && height > 0 && height <= maxHeight) return { height }
  return null
}
