import { readSealKey, type SealKeys } from '../secrets/seal.ts'
import { type AllowedNetworks, readNetwork } from './addresses.ts'

export interface WebhookSettings {
  /** Empty: nobody can create an endpoint. */
  readonly secretKeys: SealKeys
  readonly allowedNetworks: AllowedNetworks
}

interface WebhookVariables {
  readonly SECRETS_KEY: string
  readonly WEBHOOK_ALLOWED_NETWORKS: string
}

/** @param list splits a variable with commas */
export function readWebhookSettings(variables: WebhookVariables, list: (text: string) => string[]): WebhookSettings {
  return {
    secretKeys: list(variables.SECRETS_KEY).flatMap((text) => readSealKey(text) ?? []),
    allowedNetworks: list(variables.WEBHOOK_ALLOWED_NETWORKS).flatMap((text) => {
      const network = readNetwork(text)
      return network === null ? [] : [network]
    })
  }
}

export const checkSecretsKey = ({ SECRETS_KEY }: WebhookVariables, list: (text: string) => string[]): string | null =>
  list(SECRETS_KEY).every((text) => readSealKey(text) !== null)
    ? null
    : 'SECRETS_KEY: every entry must be 32 bytes in base64. Make one with: openssl rand -base64 32'

export const checkAllowedNetworks = (
  { WEBHOOK_ALLOWED_NETWORKS }: WebhookVariables,
  list: (text: string) => string[]
): string | null =>
  list(WEBHOOK_ALLOWED_NETWORKS).every((text) => readNetwork(text) !== null)
    ? null
    : 'WEBHOOK_ALLOWED_NETWORKS: every entry must be a network such as 10.0.0.0/8'
