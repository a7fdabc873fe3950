import { isCode } from '../../api/api-error.ts'
import { call } from '../../api/call.ts'
import { Form, type Reading } from '../../forms/form.tsx'
import { tellOtherTabs } from '../../layout/tell-other-tabs.ts'
import { Button } from '../../ui/button.tsx'
import { textLink } from '../../ui/text-link.ts'
import { CodeField } from './code-field.tsx'
import { codeOf, problemOfCode } from './read-code.ts'

function readCode(data: FormData): Reading<{ readonly code: string }> {
  const code = codeOf(data)
  const problem = problemOfCode(code)
  return problem === null ? { ok: true, values: { code } } : { ok: false, problems: { code: problem } }
}

interface ProviderCodeFormProps {
  readonly onSignedIn: () => void | Promise<void>
  /** Called if the sign-in with the provider took too long. */
  readonly onExpired: () => void
}

/** Asks for the code of the second factor after a sign-in with a provider. */
export function ProviderCodeForm({ onSignedIn, onExpired }: ProviderCodeFormProps) {
  const submit = async (body: { readonly code: string }) => {
    try {
      await call('enterLoginCode', { body })
    } catch (error) {
      if (!isCode(error, 'not_authenticated')) throw error
      return onExpired()
    }
    tellOtherTabs()
    await onSignedIn()
  }
  return (
    <Form read={readCode} submit={submit}>
      {(isBusy) => (
        <>
          <CodeField isFocused />
          <Button type="submit" tone="primary" className="w-full" isBusy={isBusy}>
            Sign in
          </Button>
          <p className="text-sm">
            <a href="/login" className={textLink}>
              Sign in another way
            </a>
          </p>
        </>
      )}
    </Form>
  )
}
