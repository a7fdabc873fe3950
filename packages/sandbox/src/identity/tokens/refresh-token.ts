import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

// The newer of GoTrue's two formats: a token contains its session and its number, signed with the session's key. So the
// server stores only a counter for each session. Clients treat tokens as opaque.

const version = 0
const idLength = 16
const macLength = 16
const counterLength = 6
const length = 1 + idLength + counterLength + macLength

export interface RefreshTokenContent {
  /** A UUID. */
  sessionId: string
  /** From 0 to 2^48 - 1. */
  counter: number
}

/** Makes a key for the refresh tokens of a session, base64url. */
export function newRefreshKey(): string {
  return randomBytes(32).toString('base64url')
}

export function encodeRefreshToken({ sessionId, counter }: RefreshTokenContent, refreshKey: string): string {
  const content = Buffer.alloc(1 + idLength + counterLength)
  content.writeUInt8(version)
  content.write(sessionId.replaceAll('-', ''), 1, 'hex')
  content.writeUIntBE(counter, 1 + idLength, counterLength)
  return Buffer.concat([content, sign(content, refreshKey)]).toString('base64url')
}

/** Decodes a token; null for another format. The content is trusted only after {@link isRefreshTokenOf}. */
export function decodeRefreshToken(token: string): RefreshTokenContent | null {
  const bytes = Buffer.from(token, 'base64url')
  // Base64 decoding accepts several spellings, so this compares the text with the exact one.
  if (bytes.length !== length || bytes.readUInt8() !== version || bytes.toString('base64url') !== token) return null
  const id = bytes.toString('hex', 1, 1 + idLength)
  return {
    sessionId: id.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'),
    counter: bytes.readUIntBE(1 + idLength, counterLength)
  }
}

/** Whether the session with this key issued the token. */
export function isRefreshTokenOf(token: string, refreshKey: string): boolean {
  const bytes = Buffer.from(token, 'base64url')
  const content = bytes.subarray(0, length - macLength)
  return bytes.length === length && timingSafeEqual(bytes.subarray(length - macLength), sign(content, refreshKey))
}

function sign(content: Buffer, refreshKey: string): Buffer {
  return createHmac('sha256', Buffer.from(refreshKey, 'base64url')).update(content).digest().subarray(0, macLength)
}
