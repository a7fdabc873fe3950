/** What customers see when something fails or is not theirs to do. These tests share a browser and a system. */
import './recovery.ts'
import './lost-answers.ts'
import './who-can-buy.ts'
