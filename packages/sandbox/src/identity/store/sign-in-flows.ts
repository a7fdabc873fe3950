import { randomUUID } from 'node:crypto'

/** A finished visit to a sign-in provider, until the application exchanges its code. */
export interface SignInFlow {
  readonly userId: string
  readonly codeChallenge: string
  readonly challengeMethod: 's256' | 'plain'
  /** Unix milliseconds. */
  readonly createdMs: number
}

export interface SignInFlows {
  /** @returns the code that the application exchanges */
  add(flow: SignInFlow): string
  byCode(code: string): SignInFlow | null
  remove(code: string): void
}

/** Flows are only in memory: they last minutes, and a restart of this server ends them. */
export function createSignInFlows(): SignInFlows {
  const flows = new Map<string, SignInFlow>()
  return {
    add: (flow) => {
      const code = randomUUID()
      flows.set(code, flow)
      return code
    },
    byCode: (code) => flows.get(code) ?? null,
    remove: (code) => void flows.delete(code)
  }
}
