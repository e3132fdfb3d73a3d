import type { KeyPhrases } from './key-phrases.ts'

export const ar: KeyPhrases = {
  language: 'ar',
  reviewed: false,

  pressAcceptReject: 'اضغط y للقبول، n للرفض.',
  pressYesNo: 'اضغط y لنعم، n للا.',
  pressNumber: 'اضغط رقم اختيارك.',
  pressToType: 'اضغط a لكتابة إجابة.',
  pressToTypeNumber: 'اضغط a لكتابة رقم.',
  typeNow: 'اكتب إجابتك ثم اضغط مفتاح الإدخال. السطر الفارغ لا يرسل شيئًا.',
  sent: 'أُرسلت الإجابة: {text}.',
  sentAlready: 'أُرسلت إجابتك من قبل.',
  notSent: 'تعذر إرسال الإجابة. {text}',
  notCounted: 'لم تُحتسب إجابتك: لم يعد السؤال مفتوحًا.',
  nothingSent: 'لم تُرسل أي إجابة.',
  closedMeanwhile: 'أُغلق السؤال. لم تُرسل إجابتك.',
  notAnAnswer: 'هذه ليست إجابة عن هذا السؤال.',
  noQuestion: 'لا يوجد سؤال مفتوح.',

  skipped: {
    zero: 'لم يُتخطَّ أي سطر.',
    one: 'تم تخطي سطر واحد.',
    two: 'تم تخطي سطرين.',
    few: 'تم تخطي {n} أسطر.',
    many: 'تم تخطي {n} سطرًا.',
    other: 'تم تخطي {n} سطر.',
  },
  noCode: 'لم ترد أي كتلة برمجية.',
  paused: 'توقف مؤقت. اضغط p للمتابعة.',
  resumed: 'نتابع.',
  pressToQuit: 'اضغط q للخروج.',
  pressForKeys: 'اضغط ? لسماع المفاتيح.',
  keys: [
    'r يكرر السطر الأخير.',
    'e ينتقل إلى النهاية.',
    'w يقول أين نحن.',
    'c يقرأ آخر كتلة برمجية.',
    'p يوقف مؤقتًا ثم يتابع.',
    'y أو n أو رقم يجيب عن سؤال، a لكتابة إجابة.',
    'q للخروج.',
  ],
}
