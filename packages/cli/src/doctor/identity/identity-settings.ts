export interface IdentitySettings {
  /** SUPABASE_URL */
  readonly url: string
  readonly publicUrl: string
  /** Where links of recovery mails have to lead. */
  readonly wantedTarget: string
  readonly hasWebhookSecret: boolean
}
