import { countOf } from '../../format/number.ts'
import { AuthLayout } from '../../layout/auth-layout.tsx'
import { requestLogDays } from '../../request-log-days.ts'
import { buttonLook } from '../../ui/button.tsx'

/** Shown after somebody deleted their account: what is gone, and what stays. */
export function GoodbyePage() {
  return (
    <AuthLayout title="Your account is deleted" description="Thank you, and goodbye. You are signed out.">
      <section className="text-sm">
        <h2 className="font-semibold">What was deleted</h2>
        <ul className="mt-2 list-disc space-y-1.5 pl-5">
          <li>Your name, your e-mail address and your password.</li>
          <li>Your API keys: apps that use them get errors now.</li>
          <li>Your subscription, if you had one. Nothing more is charged.</li>
        </ul>
        <h2 className="mt-5 font-semibold">What stays for some time</h2>
        <ul className="mt-2 list-disc space-y-1.5 pl-5">
          <li>Records of your requests, without your name: {countOf(requestLogDays(), 'day')}.</li>
          <li>The log of changes: 400 days, unless the operator of this service chose another time.</li>
          <li>
            Monthly totals of usage, without your name, and your invoices: as long as the operator’s books need them.
          </li>
        </ul>
      </section>
      <a href="/register" className={`mt-7 ${buttonLook()}`}>
        Register again
      </a>
    </AuthLayout>
  )
}
