import { useEffect, useRef, useState } from 'react'
import { useProblem } from '../forms/form.tsx'
import { textOf } from '../forms/read-fields.ts'
import { signInFacts } from '../sign-in-facts.ts'
import { Captcha } from './captcha.tsx'

const name = 'captcha_token'

export const unsolved = 'Solve the CAPTCHA first.'

/** Nothing to complain about if the operator has no CAPTCHA: then the form has no such field. */
export const problemOfCaptcha = (data: FormData): string | null => (data.get(name) === '' ? unsolved : null)

/** The answer of the CAPTCHA, for the body of a call. */
export function captchaOf(data: FormData): { captcha_token?: string } {
  const token = textOf(data, name)
  return token === '' ? {} : { captcha_token: token }
}

/**
 * The CAPTCHA of a form, if the operator has one. Every attempt uses the answer up, so the CAPTCHA starts again after each.
 *
 * @param props.isBusy whether an attempt is under way
 */
export function CaptchaField({ isBusy }: { readonly isBusy: boolean }) {
  const [attempt, setAttempt] = useState(0)
  const [token, setToken] = useState('')
  const wasBusy = useRef(false)
  const problem = useProblem(name)
  useEffect(() => {
    if (wasBusy.current && !isBusy) {
      setToken('')
      setAttempt((before) => before + 1)
    }
    wasBusy.current = isBusy
  }, [isBusy])
  if (signInFacts.captcha === null) return null
  return (
    <div>
      <input type="hidden" name={name} value={token} />
      <Captcha key={attempt} onToken={setToken} />
      {problem !== undefined && (
        <p role="alert" className="mt-1.5 text-sm text-danger">
          {problem}
        </p>
      )}
    </div>
  )
}
