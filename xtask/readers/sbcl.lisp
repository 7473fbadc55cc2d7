;;; What SBCL reads, with the case of letters kept.
(defvar *out* (sb-sys:make-fd-stream 1 :output t :input nil :element-type '(unsigned-byte 8) :buffering :full))

(defun text (string) (write-sequence (sb-ext:string-to-octets string :external-format :utf-8) *out*))

(defun token (tag string)
  (let ((octets (sb-ext:string-to-octets string :external-format :utf-8)))
    (text (format nil "~a~d:" tag (length octets)))
    (write-sequence octets *out*)
    (text (string #\Newline))))

(defun under (name x) (text "[") (token "Y" name) (show x) (text "]"))

(defun show (x)
  (cond ((null x) (text "()"))
        ((keywordp x) (token "Y" (concatenate 'string ":" (symbol-name x))))
        ((symbolp x) (token "Y" (concatenate 'string (if (symbol-package x) "" "#:") (symbol-name x))))
        ((raw-p x) (token "N" (raw-text x)))
        ((stringp x) (token "S" x))
        ((characterp x) (token "C" (format nil "~d" (char-code x))))
        ((sb-impl::comma-p x)
         (under (ecase (sb-impl::comma-kind x) (0 ",") (1 ",.") (2 ",@")) (sb-impl::comma-expr x)))
        ((consp x)
         (text "(")
         (loop while (consp x) do (show (pop x)))
         (when x (token "Y" ".") (show x))
         (text ")"))
        ((simple-vector-p x) (text "[") (map nil #'show x) (text "]"))
        (t (token "N" (prin1-to-string x)))))

(defstruct raw text)

(defun keep (stream sub-char number)
  "What depends on the features of a Lisp, or runs while it is read, is left as it stands: the mark and the datum after it."
  (declare (ignore number))
  (read stream t nil t)
  (make-raw :text (format nil "#~a" sub-char)))

(defun go-on (fault)
  "Makes the packages that are missing, and takes symbols that are not exported."
  (let ((package (package-error-package fault)))
    (cond ((and (stringp package) (not (find-package package)))
           (make-package package :use nil)
           (invoke-restart (find "RETRY" (compute-restarts fault) :key #'restart-name :test #'string=)))
          ((find-restart 'continue fault) (continue fault)))))

(defun message (fault) (substitute #\Space #\Newline (handler-case (princ-to-string fault) (error () "a fault that cannot be printed"))))

(mapc #'sb-ext:unlock-package (list-all-packages))

(let ((end (list nil)) (*read-eval* nil) (*print-pretty* nil) (*readtable* (copy-readtable nil))
      (*read-default-float-format* 'double-float))
  (setf (readtable-case *readtable*) :preserve)
  (dolist (char '(#\+ #\- #\.)) (set-dispatch-macro-character #\# char #'keep))
  (dolist (name (rest sb-ext:*posix-argv*))
    (token "F" name)
    (handler-case
        (handler-bind ((sb-int:simple-reader-package-error #'go-on))
          (with-open-file (in name :external-format :utf-8)
            (loop for x = (read in nil end) until (eq x end) do (show x))
            (text (format nil ".~%"))))
      (serious-condition (fault) (token "!" (message fault))))))
(finish-output *out*)
