import type { KeyScope } from '@tollgate/contracts/keys/secret.ts'
import type { MailText } from './render-mail.ts'

export interface RevokedKey {
  readonly label: string
  readonly scope: KeyScope
  readonly prefix: string
}

/** Tells the owner of an account that an operator revoked a key. */
export function revokedKeyMail(key: RevokedKey, reason: string, publicUrl: string): MailText {
  const { scope, prefix } = key
  // People choose labels: one with line breaks must not look like more of our text.
  const label = key.label.replace(/[\p{C}\s]+/gu, ' ').trim()
  const beginning = `${scope === 'management' ? 'tgm' : 'tg'}_${prefix}`
  return {
    subject: `Your API key “${label}” was revoked`,
    paragraphs: [
      `We revoked the API key “${label}” (${beginning}…) of your account. Requests with this key are now refused.`,
      `Reason: ${reason}`,
      'If your applications use this key, create a new key and use it there.',
      { text: 'Create a new key', url: `${publicUrl}/dashboard/keys` },
      'If somebody else may have used the key, check your usage.',
      { text: 'Check your usage', url: `${publicUrl}/dashboard/usage` }
    ]
  }
}
