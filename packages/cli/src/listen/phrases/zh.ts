import type { KeyPhrases } from './key-phrases.ts'

export const zh: KeyPhrases = {
  language: 'zh',
  reviewed: false,

  pressAcceptReject: '按 y 接受，按 n 拒绝。',
  pressYesNo: '按 y 表示是，按 n 表示否。',
  pressNumber: '请按所选的数字。',
  pressToType: '按 a 输入回答。',
  pressToTypeNumber: '按 a 输入数字。',
  typeNow: '请输入回答并按回车键。空行不会发送。',
  sent: '已发送回答：{text}。',
  sentAlready: '您的回答已经发送。',
  notSent: '回答未能发送。{text}',
  notCounted: '您的回答没有计入：问题已不再开放。',
  nothingSent: '没有发送回答。',
  closedMeanwhile: '问题已关闭。您的回答没有发送。',
  notAnAnswer: '这不是此问题的回答。',
  noQuestion: '没有待回答的问题。',

  skipped: { other: '已跳过 {n} 行。' },
  noCode: '还没有代码块。',
  paused: '已暂停。按 p 继续。',
  resumed: '继续。',
  pressToQuit: '按 q 退出。',
  pressForKeys: '按 ? 了解按键。',
  keys: [
    'r 重复上一行。',
    'e 跳到末尾。',
    'w 说明当前进展。',
    'c 朗读最近的代码块。',
    'p 暂停或继续。',
    'y、n 或数字回答问题，a 输入回答。',
    'q 退出。',
  ],
}
