export interface IdentitySettings {
  /** SUPABASE_URL */
  readonly url: string
  readonly publicUrl: string
  /** Where links of recovery mails have to lead. */
  readonly wantedTarget: string
  /** AUTH_PROVIDERS */
  readonly providers: readonly string[]
  readonly hasWebhookSecret: boolean
}
