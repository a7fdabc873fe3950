/** How people sign in here. Control writes it into the page. */
export interface SignInFacts {
  /** Sign-in providers, by their name at Supabase Auth and the name that people know. */
  readonly providers: ReadonlyArray<{ readonly id: string; readonly name: string }>
  readonly minPasswordLength: number
  /** Who may register. */
  readonly signup: 'open' | 'approved' | 'invited'
  /** What forms of strangers show; null: nothing. */
  readonly captcha: { readonly provider: string } | null
  /** The pages that somebody accepts by registering, which the operator has. */
  readonly legalPages: readonly ('terms' | 'privacy')[]
  /** Where a trial shows all mails; null: people have their own mailbox. */
  readonly demoMailboxUrl: string | null
}

/** For a page that control did not serve, such as that of the development server. */
const builtIn: SignInFacts = {
  providers: [],
  minPasswordLength: 8,
  signup: 'open',
  captcha: null,
  legalPages: [],
  demoMailboxUrl: null
}

export const signInFacts: SignInFacts = readFacts()

function readFacts(): SignInFacts {
  const text = globalThis.document?.querySelector<HTMLMetaElement>('meta[name="sign-in"]')?.content ?? ''
  return text.startsWith('{"') ? (JSON.parse(text) as SignInFacts) : builtIn
}

/** Whether the browser came with a session when control served the page. It may have ended. */
export const hasSession: boolean =
  globalThis.document?.querySelector<HTMLMetaElement>('meta[name="session"]')?.content !== 'none'

/** The gateway's public origin. Control writes it into the page. */
export function gatewayUrl(): string {
  return document.querySelector<HTMLMetaElement>('meta[name="gateway-url"]')?.content ?? ''
}

/** For a page that control did not serve, such as that of the development server. */
const builtInDays = 30

/** How many days requests are kept. Control writes it into the page. */
export const requestLogDays = (): number =>
  Number(document.querySelector<HTMLMetaElement>('meta[name="request-log-days"]')?.content) || builtInDays
