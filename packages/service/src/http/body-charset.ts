import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'

/** Nearly all content types of JSON. */
const usual = /^application\/json *(?:; *charset="?utf-8"? *)?$/i
const charsetOf = /; *charset *= *"?([^";\s]*)/i

/**
 * Refuses a content type of JSON that names another encoding than UTF-8: JSON between systems has no other (RFC 8259, 8.1).
 *
 * @returns null if the encoding is UTF-8 or not named
 */
export function refuseCharset(contentType: string): ServiceError | null {
  if (usual.test(contentType)) return null
  const charset = charsetOf.exec(contentType)?.[1]?.toLowerCase()
  if (charset === undefined || isUtf8Name.test(charset)) return null
  return new ServiceError('unsupported_media_type', {
    message:
      'The Content-Type names another charset than UTF-8. Encode the body as UTF-8, and send charset=utf-8 or none.'
  })
}

/** US-ASCII is a part of UTF-8. */
const isUtf8Name = /^(utf-?8|us-ascii)$/

/** The error for a body whose bytes are not UTF-8. */
export const notUtf8 = (): ServiceError =>
  new ServiceError('invalid_json', {
    message: 'The request body is not valid UTF-8. Encode it as UTF-8 and send it again.'
  })
