import { useState } from 'react'
import { encode } from 'uqr'
import { type Answer, call } from '../../api/call.ts'
import { refresh } from '../../api/queries.ts'
import { brand } from '../../brand/brand.ts'
import { DialogForm } from '../../forms/dialog-form.tsx'
import { PasswordField } from '../../forms/fields.tsx'
import { codeOf, problemOfCode, textOf } from '../../forms/read-fields.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { useToast } from '../../ui/toast.tsx'
import { CodeField } from '../auth/code-field.tsx'
import { NewRecoveryCodesDialog } from './recovery-codes-dialog.tsx'

type Setup = Answer<'startSecondFactor'> & { readonly password: string }

/** Asks for the password, then shows the secret and asks for the first code. */
export function SetUpSecondFactorDialog({ onClose }: { readonly onClose: () => void }) {
  const [setup, setSetup] = useState<Setup | null>(null)
  const [codes, setCodes] = useState<readonly string[] | null>(null)
  if (codes !== null) return <NewRecoveryCodesDialog codes={codes} onClose={onClose} />
  return setup === null ? (
    <Dialog
      title="Turn on the second factor"
      description="You need an authenticator app, for example on your phone."
      onClose={onClose}
    >
      <PasswordForm onStarted={setSetup} onClose={onClose} />
    </Dialog>
  ) : (
    <Dialog
      key="code"
      title={`Add ${brand.name} to your app`}
      description="Scan the QR code with your app, or type the secret. Then enter the code from the app."
      onClose={onClose}
    >
      <CodeForm setup={setup} onTurnedOn={setCodes} onClose={onClose} />
    </Dialog>
  )
}

function PasswordForm({
  onStarted,
  onClose
}: {
  readonly onStarted: (setup: Setup) => void
  readonly onClose: () => void
}) {
  return (
    <DialogForm
      action="Continue"
      onClose={onClose}
      read={(data) => {
        const password = textOf(data, 'current_password')
        return password === ''
          ? { ok: false, problems: { current_password: 'Enter your password.' } }
          : { ok: true, values: { password } }
      }}
      submit={async (body) => onStarted({ ...(await call('startSecondFactor', { body })), password: body.password })}
    >
      <PasswordField name="current_password" label="Password" autoComplete="current-password" required />
    </DialogForm>
  )
}

interface CodeFormProps {
  readonly setup: Setup
  readonly onTurnedOn: (codes: readonly string[]) => void
  readonly onClose: () => void
}

function CodeForm({ setup, onTurnedOn, onClose }: CodeFormProps) {
  const showToast = useToast()
  const { secret, uri, password } = setup
  return (
    <DialogForm
      action="Turn on"
      onClose={onClose}
      read={(data) => {
        const code = codeOf(data)
        const problem = problemOfCode(code)
        return problem === null ? { ok: true, values: { password, code } } : { ok: false, problems: { code: problem } }
      }}
      submit={async (body) => {
        const { recovery_codes: codes } = await call('confirmSecondFactor', { body })
        showToast('The second factor is on. You are signed out everywhere else.')
        onTurnedOn(codes)
        await refresh('getSecondFactor')
      }}
    >
      <QrCode text={uri} label="QR code with the secret" />
      <div className="flex flex-wrap items-center justify-between gap-2 rounded-lg border border-line bg-sunken px-3 py-2">
        <code className="min-w-0 font-mono text-sm break-all">{secret}</code>
        <CopyButton text={secret} what="the secret" />
      </div>
      <CodeField mayRecover={false} />
      <p className="text-[0.8125rem] text-ink-soft">
        You then need this app to sign in. Next, you get recovery codes in case you lose it.
      </p>
    </DialogForm>
  )
}

/** A QR code. It is black on white in every theme, because cameras expect that. */
function QrCode({ text, label }: { readonly text: string; readonly label: string }) {
  const { data, size } = encode(text)
  const path = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : []))).join('')
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
      className="mx-auto size-52 rounded-lg bg-white p-2"
    >
      <path d={path} fill="#000" />
    </svg>
  )
}
