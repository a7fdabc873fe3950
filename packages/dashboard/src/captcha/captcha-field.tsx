import { useEffect, useRef, useState } from 'react'
import { storedTheme } from '../brand/theme.ts'
import { useProblem } from '../forms/form.tsx'
import { textOf } from '../forms/read-fields.ts'
import { signInFacts } from '../page-facts.ts'
import { readCaptchaMessage } from './message.ts'

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
 * The CAPTCHA of a form, if the operator has one. Every attempt uses the answer up, so the CAPTCHA starts again after
 * each.
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

interface CaptchaProps {
  /** Gets the answer, which works once; empty when it has expired. It must be the same function in every render. */
  readonly onToken: (token: string) => void
}

/**
 * The CAPTCHA of the operator, in a frame: no script of its provider runs in this page. A new `key` starts it again.
 */
export function Captcha({ onToken }: CaptchaProps) {
  const frame = useRef<HTMLIFrameElement>(null)
  const [height, setHeight] = useState(80)
  const [address] = useState(() => `/captcha#${storedTheme()}`)
  useEffect(() => {
    const receive = ({ source, origin, data }: MessageEvent) => {
      if (source !== frame.current?.contentWindow || origin !== window.location.origin) return
      const message = readCaptchaMessage(data)
      if (message === null) return
      if ('token' in message) onToken(message.token)
      else setHeight(message.height)
    }
    window.addEventListener('message', receive)
    return () => window.removeEventListener('message', receive)
  }, [onToken])
  return <iframe ref={frame} title="CAPTCHA" src={address} height={height} className="block w-full" />
}
